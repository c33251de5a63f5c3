-- Reminders fall due: which are awaited, the devices that are told, and what is on its way to them.

-- CreateTable
CREATE TABLE "devices" (
    "id" BIGSERIAL NOT NULL,
    "user_id" BIGINT NOT NULL,
    "udid" TEXT NOT NULL,
    "platform" TEXT NOT NULL,
    "subscription" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "devices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "awaited_reminders" (
    "reminder_id" BIGINT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "awaited_reminders_pkey" PRIMARY KEY ("reminder_id")
);

-- CreateTable
CREATE TABLE "pushes" (
    "id" BIGSERIAL NOT NULL,
    "device_id" BIGINT NOT NULL,
    "reminder_id" BIGINT NOT NULL,
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pushes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "devices_user_id_udid_key" ON "devices"("user_id", "udid");

-- CreateIndex
CREATE INDEX "awaited_reminders_due_at_idx" ON "awaited_reminders"("due_at");

-- CreateIndex
CREATE INDEX "pushes_due_at_idx" ON "pushes"("due_at");

-- CreateIndex
CREATE INDEX "pushes_device_id_idx" ON "pushes"("device_id");

-- AddForeignKey
ALTER TABLE "devices" ADD CONSTRAINT "devices_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "awaited_reminders" ADD CONSTRAINT "awaited_reminders_reminder_id_fkey" FOREIGN KEY ("reminder_id") REFERENCES "reminders"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "pushes" ADD CONSTRAINT "pushes_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE devices ADD CONSTRAINT udid_length CHECK (char_length(udid) BETWEEN 1 AND 255);
ALTER TABLE devices ADD CONSTRAINT platform_known CHECK (platform IN ('web_push'));
-- A browser that another user has signed in at: its address is his from then on.
CREATE INDEX devices_endpoint_idx ON devices ((subscription->>'endpoint'));

-- A reminder waits from when it is made, and again when it is moved; told, it waits no more. A row of its own, because what
-- changes a reminder's row raises its revision.
CREATE FUNCTION await_reminder() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO awaited_reminders (reminder_id, due_at) VALUES (new.id, new.date)
  ON CONFLICT (reminder_id) DO UPDATE SET due_at = excluded.due_at;
  RETURN NULL;
END $$;

CREATE TRIGGER "01_await" AFTER INSERT ON reminders FOR EACH ROW EXECUTE FUNCTION await_reminder();
CREATE TRIGGER "01_await_moved" AFTER UPDATE ON reminders FOR EACH ROW WHEN (new.date <> old.date) EXECUTE FUNCTION await_reminder();

-- Reminders that are there already.
INSERT INTO awaited_reminders (reminder_id, due_at) SELECT id, date FROM reminders WHERE date > now() - interval '1 hour';
