-- Packed segments get a partition per week, in which PostgreSQL compresses them (docs/decisions/0074-packed-weeks.md). What
-- there is stays where it is; versions before this one go on reading and writing it through the parent.
ALTER TABLE "console"."segments" RENAME TO "segments_live";--> statement-breakpoint
ALTER TABLE "console"."segments_live" ADD COLUMN "packed_on" date;--> statement-breakpoint
CREATE TABLE "console"."segments" (
	"recording" uuid NOT NULL,
	"first_seq" integer NOT NULL,
	"last_seq" integer NOT NULL,
	"body" text NOT NULL,
	"last_event_id" text,
	"packed_on" date
) PARTITION BY LIST ("packed_on");--> statement-breakpoint
ALTER TABLE "console"."segments" ATTACH PARTITION "console"."segments_live" FOR VALUES IN (NULL);--> statement-breakpoint
-- Leases are renewed every four seconds. Without an index of them, and with room in the page, that leaves no dead index entries.
DROP INDEX "console"."recordings_unfinished";--> statement-breakpoint
CREATE INDEX "recordings_unfinished" ON "console"."recordings" USING btree ("started_at") WHERE phase <> 'ended';--> statement-breakpoint
ALTER TABLE "console"."recordings" SET (fillfactor = 80);
