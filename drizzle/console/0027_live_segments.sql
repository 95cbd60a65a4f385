-- The statement that stores segments locks their recording itself, so a check of the reference for each row only doubled its
-- cost (docs/decisions/0087-inserts-of-segments.md). Whichever version deletes a recording, its segments go with it, as before.
ALTER TABLE "console"."segments_live" DROP CONSTRAINT "segments_recording_recordings_id_fk";--> statement-breakpoint
CREATE FUNCTION "console"."delete_live_segments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM console.segments_live WHERE recording = old.id;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "delete_live_segments" AFTER DELETE ON "console"."recordings" FOR EACH ROW
	EXECUTE FUNCTION "console"."delete_live_segments"();
