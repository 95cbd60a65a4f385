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