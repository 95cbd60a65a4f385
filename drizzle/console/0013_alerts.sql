CREATE TABLE "console"."alert_channels" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workspace" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"target" text NOT NULL,
	"sealed" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "console"."alert_deliveries" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workspace" text NOT NULL,
	"channel" uuid NOT NULL,
	"subject" text NOT NULL,
	"message" json NOT NULL,
	"status" text DEFAULT 'waiting' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"problem" text,
	"is_test" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "console"."alert_events" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workspace" text NOT NULL,
	"rule" uuid NOT NULL,
	"rule_name" text NOT NULL,
	"subject" text NOT NULL,
	"name" text NOT NULL,
	"deployment" text,
	"event" text NOT NULL,
	"detail" text NOT NULL,
	"is_silenced" boolean DEFAULT false NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "console"."alert_lease" (
	"id" smallint PRIMARY KEY DEFAULT 1 NOT NULL,
	"holder" uuid NOT NULL,
	"until" timestamp with time zone NOT NULL,
	"evaluated_at" timestamp with time zone,
	CONSTRAINT "alert_lease_one_row" CHECK ("console"."alert_lease"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "console"."alert_rules" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workspace" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"settings" json NOT NULL,
	"deployments" text[],
	"channels" uuid[] DEFAULT '{}' NOT NULL,
	"is_enabled" boolean DEFAULT true NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "console"."alert_silences" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workspace" text NOT NULL,
	"rule" uuid,
	"deployment" text,
	"reason" text NOT NULL,
	"by" text NOT NULL,
	"until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "console"."alert_states" (
	"rule" uuid NOT NULL,
	"subject" text NOT NULL,
	"name" text NOT NULL,
	"deployment" text,
	"machine" json NOT NULL,
	"is_told" boolean DEFAULT false NOT NULL,
	"detail" text NOT NULL,
	CONSTRAINT "alert_states_rule_subject_pk" PRIMARY KEY("rule","subject")
);
--> statement-breakpoint
ALTER TABLE "console"."alert_deliveries" ADD CONSTRAINT "alert_deliveries_channel_alert_channels_id_fk" FOREIGN KEY ("channel") REFERENCES "console"."alert_channels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "console"."alert_silences" ADD CONSTRAINT "alert_silences_rule_alert_rules_id_fk" FOREIGN KEY ("rule") REFERENCES "console"."alert_rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "console"."alert_states" ADD CONSTRAINT "alert_states_rule_alert_rules_id_fk" FOREIGN KEY ("rule") REFERENCES "console"."alert_rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "alert_channels_name" ON "console"."alert_channels" USING btree ("workspace",lower("name"));--> statement-breakpoint
CREATE INDEX "alert_deliveries_workspace" ON "console"."alert_deliveries" USING btree ("workspace","created_at");--> statement-breakpoint
CREATE INDEX "alert_deliveries_due" ON "console"."alert_deliveries" USING btree ("next_at") WHERE "console"."alert_deliveries"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "alert_events_workspace" ON "console"."alert_events" USING btree ("workspace","at");--> statement-breakpoint
CREATE UNIQUE INDEX "alert_rules_name" ON "console"."alert_rules" USING btree ("workspace",lower("name"));--> statement-breakpoint
CREATE INDEX "alert_silences_workspace" ON "console"."alert_silences" USING btree ("workspace","until");