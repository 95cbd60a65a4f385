ALTER TABLE "platform"."revisions" ADD COLUMN "status_history" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "platform"."revisions" ADD COLUMN "commit" jsonb;