CREATE TABLE "console"."public_links" (
	"id" uuid PRIMARY KEY NOT NULL,
	"workspace" text NOT NULL,
	"recording" uuid NOT NULL,
	"hash" text NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	"opens" integer DEFAULT 0 NOT NULL,
	"last_opened_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "console"."sharing" (
	"workspace" text PRIMARY KEY NOT NULL,
	"has_public_links" boolean NOT NULL
);
--> statement-breakpoint
ALTER TABLE "console"."public_links" ADD CONSTRAINT "public_links_recording_recordings_id_fk" FOREIGN KEY ("recording") REFERENCES "console"."recordings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "public_links_workspace" ON "console"."public_links" USING btree ("workspace","created_at");--> statement-breakpoint
CREATE INDEX "public_links_recording" ON "console"."public_links" USING btree ("recording");