CREATE TABLE "platform"."tracing_projects" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"deployment_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "platform"."deployments" ADD COLUMN "deletes_project" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "platform"."tracing_projects" ADD CONSTRAINT "tracing_projects_deployment_id_deployments_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "platform"."deployments"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "tracing_projects_name" ON "platform"."tracing_projects" USING btree ("name");--> statement-breakpoint
CREATE UNIQUE INDEX "tracing_projects_deployment" ON "platform"."tracing_projects" USING btree ("deployment_id");--> statement-breakpoint
-- A deployment made before this has its project too.
INSERT INTO "platform"."tracing_projects" ("name", "deployment_id") SELECT "name", "id" FROM "platform"."deployments";
