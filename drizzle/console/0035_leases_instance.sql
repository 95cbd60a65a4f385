ALTER TABLE "console"."leases" ADD COLUMN "instance" integer;
