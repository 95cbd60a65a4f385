CREATE TABLE "console"."model_prices" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workspace" text NOT NULL,
	"model" text NOT NULL,
	"provider" text,
	"input" numeric NOT NULL,
	"output" numeric NOT NULL,
	"cached_input" numeric,
	"reasoning" numeric,
	"valid_from" date,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "model_prices_amounts" CHECK ("console"."model_prices"."input" >= 0 and "console"."model_prices"."output" >= 0 and coalesce("console"."model_prices"."cached_input", 0) >= 0 and coalesce("console"."model_prices"."reasoning", 0) >= 0)
);
--> statement-breakpoint
ALTER TABLE "console"."workspaces" ADD COLUMN "traces_url" text;--> statement-breakpoint
ALTER TABLE "console"."workspaces" ADD COLUMN "traces_sealed_auth" text;--> statement-breakpoint
CREATE UNIQUE INDEX "model_prices_place" ON "console"."model_prices" USING btree ("workspace",lower("model"),lower(coalesce("provider", '')),coalesce("valid_from", '-infinity'::date));