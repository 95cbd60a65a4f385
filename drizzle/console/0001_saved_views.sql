DROP INDEX "console"."saved_views_place";--> statement-breakpoint
ALTER TABLE "console"."saved_views" ADD COLUMN "is_default" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "saved_views_name" ON "console"."saved_views" USING btree ("account","workspace","page",lower("name"));--> statement-breakpoint
CREATE UNIQUE INDEX "saved_views_default" ON "console"."saved_views" USING btree ("account","workspace","page") WHERE "console"."saved_views"."is_default";