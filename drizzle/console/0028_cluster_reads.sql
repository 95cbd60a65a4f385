-- Unlogged: it is only worth something for seconds.
CREATE UNLOGGED TABLE "console"."cluster_reads" (
	"key" text PRIMARY KEY NOT NULL,
	"claim" uuid NOT NULL,
	"claimed_until" timestamp with time zone NOT NULL,
	"body" text,
	"read_at" timestamp with time zone
);
