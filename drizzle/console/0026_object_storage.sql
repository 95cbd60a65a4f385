-- Recordings in object storage (docs/decisions/0075-object-storage.md): the rows of their blocks stay, without the text.
CREATE TABLE "console"."unused_objects" (
	"key" text PRIMARY KEY NOT NULL,
	"due_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "console"."recordings" ADD COLUMN "object" text;--> statement-breakpoint
ALTER TABLE "console"."segments" ADD COLUMN "size" integer;--> statement-breakpoint
ALTER TABLE "console"."segments" ADD COLUMN "object_at" bigint;--> statement-breakpoint
ALTER TABLE "console"."segments" ADD COLUMN "object_length" integer;--> statement-breakpoint
CREATE TABLE "console"."segments_moved" (LIKE "console"."segments", PRIMARY KEY ("recording", "first_seq"));--> statement-breakpoint
ALTER TABLE "console"."segments" ATTACH PARTITION "console"."segments_moved" FOR VALUES IN ('infinity');--> statement-breakpoint
-- Whichever version deletes a recording, its object is noted.
CREATE FUNCTION "console"."note_unused_object"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO console.unused_objects (key, due_at) VALUES (old.object, now()) ON CONFLICT DO NOTHING;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "note_unused_object" AFTER DELETE ON "console"."recordings" FOR EACH ROW WHEN (old.object IS NOT NULL)
	EXECUTE FUNCTION "console"."note_unused_object"();
