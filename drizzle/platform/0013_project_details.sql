ALTER TABLE "platform"."tracing_projects" ADD COLUMN "description" text;--> statement-breakpoint
ALTER TABLE "platform"."tracing_projects" ADD COLUMN "extra" json;--> statement-breakpoint
ALTER TABLE "platform"."tracing_projects" ADD COLUMN "end_time" timestamp (3) with time zone;