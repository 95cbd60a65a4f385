CREATE TABLE "console"."invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"workspace" text NOT NULL,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"hash" text NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "invitations_role" CHECK ("console"."invitations"."role" in ('viewer', 'developer', 'admin'))
);
--> statement-breakpoint
ALTER TABLE "console"."memberships" ADD COLUMN "is_kept" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "invitations_workspace" ON "console"."invitations" USING btree ("workspace","created_at");