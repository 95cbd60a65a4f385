CREATE TABLE "console"."run_templates" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account" uuid NOT NULL,
	"workspace" text NOT NULL,
	"deployment" text NOT NULL,
	"name" text NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "console"."run_templates" ADD CONSTRAINT "run_templates_account_accounts_id_fk" FOREIGN KEY ("account") REFERENCES "console"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "run_templates_name" ON "console"."run_templates" USING btree ("account","workspace","deployment",lower("name"));