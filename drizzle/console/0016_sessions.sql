CREATE TABLE "console"."sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"account" uuid NOT NULL,
	"version" integer NOT NULL,
	"address" text,
	"browser" text,
	"ends_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "console"."sessions" ADD CONSTRAINT "sessions_account_accounts_id_fk" FOREIGN KEY ("account") REFERENCES "console"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sessions_account" ON "console"."sessions" USING btree ("account");--> statement-breakpoint
CREATE INDEX "sessions_ends_at" ON "console"."sessions" USING btree ("ends_at");