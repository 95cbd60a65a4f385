CREATE TABLE "platform"."listeners" (
	"id" uuid PRIMARY KEY NOT NULL,
	"compute_id" text NOT NULL,
	"namespaces" jsonb NOT NULL,
	"token_hash" text,
	"about" jsonb,
	"last_seen_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "listeners_compute_id" ON "platform"."listeners" USING btree ("compute_id");--> statement-breakpoint
CREATE UNIQUE INDEX "listeners_token_hash" ON "platform"."listeners" USING btree ("token_hash");