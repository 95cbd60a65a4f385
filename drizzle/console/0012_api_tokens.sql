CREATE TABLE "console"."api_tokens" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workspace" text NOT NULL,
	"name" text NOT NULL,
	"account" uuid,
	"role" text NOT NULL,
	"deployments" text[],
	"hash" text NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "api_tokens_role" CHECK ("console"."api_tokens"."role" in ('viewer', 'developer', 'admin'))
);
--> statement-breakpoint
ALTER TABLE "console"."api_tokens" ADD CONSTRAINT "api_tokens_account_accounts_id_fk" FOREIGN KEY ("account") REFERENCES "console"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_tokens_workspace" ON "console"."api_tokens" USING btree ("workspace","created_at");