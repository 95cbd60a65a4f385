CREATE TABLE "console"."passkeys" (
	"id" text PRIMARY KEY NOT NULL,
	"account" uuid NOT NULL,
	"name" text NOT NULL,
	"public_key" text NOT NULL,
	"counter" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "console"."accounts" ADD COLUMN "requires_passkey" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "console"."passkeys" ADD CONSTRAINT "passkeys_account_accounts_id_fk" FOREIGN KEY ("account") REFERENCES "console"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "passkeys_account" ON "console"."passkeys" USING btree ("account");