CREATE SCHEMA "platform";
--> statement-breakpoint
CREATE TABLE "platform"."deployments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"source" text NOT NULL,
	"source_config" jsonb NOT NULL,
	"secrets" text NOT NULL,
	"status" text NOT NULL,
	"latest_revision_id" uuid,
	"active_revision_id" uuid,
	"image_version" text,
	"is_forced" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."revision_logs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "platform"."revision_logs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"deployment_id" uuid NOT NULL,
	"revision_id" uuid NOT NULL,
	"type" text NOT NULL,
	"level" text NOT NULL,
	"message" text NOT NULL,
	"run_id" text,
	"time" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."revisions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"deployment_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"status" text NOT NULL,
	"source" text NOT NULL,
	"source_config" jsonb NOT NULL,
	"source_revision_config" jsonb NOT NULL,
	"secrets" text NOT NULL,
	"built_at" timestamp (3) with time zone,
	"queued_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."settings" (
	"key" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "platform"."revision_logs" ADD CONSTRAINT "revision_logs_deployment_id_deployments_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "platform"."deployments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform"."revision_logs" ADD CONSTRAINT "revision_logs_revision_id_revisions_id_fk" FOREIGN KEY ("revision_id") REFERENCES "platform"."revisions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform"."revisions" ADD CONSTRAINT "revisions_deployment_id_deployments_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "platform"."deployments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "deployments_name" ON "platform"."deployments" USING btree ("name");--> statement-breakpoint
CREATE INDEX "deployments_newest" ON "platform"."deployments" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "revision_logs_revision" ON "platform"."revision_logs" USING btree ("revision_id","type","id");--> statement-breakpoint
CREATE INDEX "revision_logs_deployment" ON "platform"."revision_logs" USING btree ("deployment_id","type","id");--> statement-breakpoint
CREATE UNIQUE INDEX "revisions_number" ON "platform"."revisions" USING btree ("deployment_id","number");--> statement-breakpoint
CREATE INDEX "revisions_status" ON "platform"."revisions" USING btree ("status");