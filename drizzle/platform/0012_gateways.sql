CREATE TABLE "platform"."gateway_copies" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "platform"."gateway_copies_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"version" bigint NOT NULL,
	"draining" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."gateway_entries" (
	"key" text PRIMARY KEY NOT NULL,
	"sealed" text,
	"version" bigint NOT NULL
);
