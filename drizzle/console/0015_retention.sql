CREATE TABLE "console"."retention" (
	"workspace" text PRIMARY KEY NOT NULL,
	"days" integer NOT NULL,
	"max_bytes" bigint
);
