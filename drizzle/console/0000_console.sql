CREATE SCHEMA "console";
--> statement-breakpoint
CREATE TABLE "console"."recordings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"workspace" text NOT NULL,
	"deployment" text NOT NULL,
	"thread" text,
	"run" text,
	"assistant" text NOT NULL,
	"phase" text NOT NULL,
	"outcome" text,
	"started_by" text NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	"entries" integer DEFAULT 0 NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"request" text NOT NULL,
	"is_stateless" boolean NOT NULL,
	"is_resumable" boolean NOT NULL,
	"cancelled_at" timestamp with time zone,
	"idempotency_key" text,
	"owner" integer,
	"lease_until" timestamp with time zone,
	"cuts" json DEFAULT '[]'::json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "console"."segments" (
	"recording" uuid NOT NULL,
	"first_seq" integer NOT NULL,
	"last_seq" integer NOT NULL,
	"body" text NOT NULL,
	"last_event_id" text,
	CONSTRAINT "segments_recording_first_seq_pk" PRIMARY KEY("recording","first_seq")
);
--> statement-breakpoint
CREATE TABLE "console"."accounts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"password_hash" text,
	"oidc_subject" text,
	"session_version" integer DEFAULT 1 NOT NULL,
	"disabled_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_email_unique" UNIQUE("email"),
	CONSTRAINT "accounts_oidc_subject_unique" UNIQUE("oidc_subject"),
	CONSTRAINT "accounts_email_lower" CHECK ("console"."accounts"."email" = lower("console"."accounts"."email"))
);
--> statement-breakpoint
CREATE TABLE "console"."audit" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"intent" bigint,
	"actor" text NOT NULL,
	"actor_email" text NOT NULL,
	"role" text,
	"workspace" text NOT NULL,
	"operation" text NOT NULL,
	"params" json NOT NULL,
	"fields" json NOT NULL,
	"upstream_status" integer,
	"outcome" text,
	"request_id" text NOT NULL,
	"mac" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "console"."audit_head" (
	"id" smallint PRIMARY KEY DEFAULT 1 NOT NULL,
	"chain" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"mac" text NOT NULL,
	"seal" text NOT NULL,
	CONSTRAINT "audit_head_one_row" CHECK ("console"."audit_head"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "console"."direct_servers" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workspace" text NOT NULL,
	"name" text NOT NULL,
	"url" text NOT NULL,
	"sealed_auth" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "console"."ended_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "console"."idempotency_keys" (
	"account" text NOT NULL,
	"key" text NOT NULL,
	"operation" text NOT NULL,
	"body_hash" text NOT NULL,
	"answer" json,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_account_key_pk" PRIMARY KEY("account","key")
);
--> statement-breakpoint
CREATE TABLE "console"."memberships" (
	"account" uuid NOT NULL,
	"workspace" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memberships_account_workspace_pk" PRIMARY KEY("account","workspace"),
	CONSTRAINT "memberships_role" CHECK ("console"."memberships"."role" in ('viewer', 'developer', 'admin'))
);
--> statement-breakpoint
CREATE TABLE "console"."saved_views" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account" uuid NOT NULL,
	"workspace" text NOT NULL,
	"page" text NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "console"."workspaces" (
	"slug" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"base_url" text,
	"sealed_auth" text,
	"dialect" text DEFAULT 'auto' NOT NULL,
	"allowed_origins" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp with time zone,
	CONSTRAINT "workspaces_base_url" CHECK (("console"."workspaces"."kind" = 'direct') = ("console"."workspaces"."base_url" is null))
);
--> statement-breakpoint
ALTER TABLE "console"."segments" ADD CONSTRAINT "segments_recording_recordings_id_fk" FOREIGN KEY ("recording") REFERENCES "console"."recordings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "console"."direct_servers" ADD CONSTRAINT "direct_servers_workspace_workspaces_slug_fk" FOREIGN KEY ("workspace") REFERENCES "console"."workspaces"("slug") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "console"."memberships" ADD CONSTRAINT "memberships_account_accounts_id_fk" FOREIGN KEY ("account") REFERENCES "console"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "console"."saved_views" ADD CONSTRAINT "saved_views_account_accounts_id_fk" FOREIGN KEY ("account") REFERENCES "console"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "recordings_place" ON "console"."recordings" USING btree ("workspace","deployment","started_at");--> statement-breakpoint
CREATE INDEX "recordings_workspace" ON "console"."recordings" USING btree ("workspace","started_at");--> statement-breakpoint
CREATE INDEX "recordings_run" ON "console"."recordings" USING btree ("run");--> statement-breakpoint
CREATE INDEX "recordings_unfinished" ON "console"."recordings" USING btree ("lease_until") WHERE phase <> 'ended';--> statement-breakpoint
CREATE INDEX "recordings_ended" ON "console"."recordings" USING btree ("ended_at");--> statement-breakpoint
CREATE UNIQUE INDEX "recordings_idempotency" ON "console"."recordings" USING btree ("workspace","started_by","idempotency_key");--> statement-breakpoint
CREATE INDEX "audit_workspace" ON "console"."audit" USING btree ("workspace","seq");--> statement-breakpoint
CREATE INDEX "audit_intent" ON "console"."audit" USING btree ("intent");--> statement-breakpoint
CREATE INDEX "direct_servers_workspace" ON "console"."direct_servers" USING btree ("workspace");--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "console"."idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "memberships_workspace" ON "console"."memberships" USING btree ("workspace");--> statement-breakpoint
CREATE INDEX "saved_views_place" ON "console"."saved_views" USING btree ("account","workspace","page");