CREATE TABLE "console"."audit_retention" (
	"id" smallint PRIMARY KEY DEFAULT 1 NOT NULL,
	"days" integer,
	"exported_through" bigint NOT NULL,
	"exported_at" timestamp (3) with time zone,
	"seal" text NOT NULL,
	CONSTRAINT "audit_retention_one_row" CHECK ("console"."audit_retention"."id" = 1)
);
--> statement-breakpoint
-- Unlogged: it is only worth something for a minute.
CREATE UNLOGGED TABLE "console"."limit_slices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"amount" integer NOT NULL,
	"until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "limit_slices_key" ON "console"."limit_slices" USING btree ("key");--> statement-breakpoint
CREATE INDEX "limit_slices_until" ON "console"."limit_slices" USING btree ("until");