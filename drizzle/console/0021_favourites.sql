CREATE TABLE "console"."favourites" (
	"account" uuid NOT NULL,
	"workspace" text NOT NULL,
	"deployment" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "favourites_account_workspace_deployment_pk" PRIMARY KEY("account","workspace","deployment")
);
--> statement-breakpoint
ALTER TABLE "console"."favourites" ADD CONSTRAINT "favourites_account_accounts_id_fk" FOREIGN KEY ("account") REFERENCES "console"."accounts"("id") ON DELETE cascade ON UPDATE no action;