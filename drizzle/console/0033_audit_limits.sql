CREATE TABLE "console"."audit_gaps" (
	"first" bigint NOT NULL,
	"through" bigint PRIMARY KEY NOT NULL,
	"mac" text NOT NULL,
	"seal" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "console"."audit_retention" ADD COLUMN "max_bytes" bigint;--> statement-breakpoint
ALTER TABLE "console"."audit_retention" ADD COLUMN "own" json DEFAULT '{}'::json NOT NULL;