-- Unlogged: it is only worth something for seconds.
CREATE UNLOGGED TABLE "console"."leases" (
	"key" text PRIMARY KEY NOT NULL,
	"holder" uuid NOT NULL,
	"until" timestamp with time zone NOT NULL
);
