ALTER TABLE "console"."invitations" ALTER COLUMN "role" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "console"."memberships" ALTER COLUMN "role" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "console"."invitations" ADD COLUMN "deployments" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "console"."memberships" ADD COLUMN "deployments" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "console"."invitations" ADD CONSTRAINT "invitations_rights" CHECK ("console"."invitations"."role" is not null or "console"."invitations"."deployments" <> '{}');--> statement-breakpoint
ALTER TABLE "console"."memberships" ADD CONSTRAINT "memberships_deployments" CHECK ("console"."memberships"."deployments" = '{}' or "console"."memberships"."workspace" <> '*');--> statement-breakpoint
ALTER TABLE "console"."memberships" ADD CONSTRAINT "memberships_rights" CHECK ("console"."memberships"."role" is not null or "console"."memberships"."deployments" <> '{}');