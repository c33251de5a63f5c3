import { madeBy } from "../../access/made-by.js"
import { type Fields, statement } from "../../statement.js"
import { type Device, devices } from "./device.type.js"

const DEVICE = devices.columns("d")
const device = (fields: Fields): Device => devices.read(fields) as Device

/** A user has no more; the one that registered longest ago makes room. */
const MAX_DEVICES = 20

// Not Prisma: in one statement it looks at the token, makes room and takes over an address.

/**
 * Registers a device, in place of one with the same name: $1 user, $2 udid, $3 platform, $4 subscription, $5 the token that asks. A browser has one
 * address for all its users: it is taken from the device that had it, or reminders would show to somebody else. No row for a token that has just ended.
 */
export const putDevice = statement(
  "put_device",
  `with ${madeBy("$5")},
   elsewhere as (
     delete from devices where subscription->>'endpoint' = $4::jsonb->>'endpoint' and (user_id, udid) <> ($1::bigint, $2)),
   surplus as (
     delete from devices where id in (
       select id from devices where user_id = $1::bigint and udid <> $2 order by created_at desc, id desc offset ${MAX_DEVICES - 1}))
   insert into devices as d (user_id, udid, platform, subscription, application_id)
   select $1::bigint, $2, $3, $4::jsonb, application_id from made_by
   on conflict (user_id, udid) do update set platform = excluded.platform, subscription = excluded.subscription, created_at = now(),
     application_id = excluded.application_id
   returning ${DEVICE}`,
  device,
)
