-- How often a delivery's lease has ended with its node is counted apart from what the endpoint failed.
ALTER TABLE "webhook_deliveries" ADD COLUMN "losses" SMALLINT NOT NULL DEFAULT 0;
