CREATE TABLE "console"."experiment_pairs" (
	"experiment" uuid NOT NULL,
	"subject" smallint NOT NULL,
	"input" smallint NOT NULL,
	"state" text NOT NULL,
	"recording" uuid,
	"result" json,
	"error" text,
	"thumb" smallint,
	"note" text DEFAULT '' NOT NULL,
	"rated_by" text,
	CONSTRAINT "experiment_pairs_experiment_subject_input_pk" PRIMARY KEY("experiment","subject","input")
);
--> statement-breakpoint
CREATE TABLE "console"."experiments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"workspace" text NOT NULL,
	"name" text NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"subjects" json NOT NULL,
	"inputs" json NOT NULL,
	"checks" json NOT NULL,
	"running_until" timestamp with time zone,
	"stopped_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "console"."input_sets" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workspace" text NOT NULL,
	"name" text NOT NULL,
	"inputs" json NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "console"."experiment_pairs" ADD CONSTRAINT "experiment_pairs_experiment_experiments_id_fk" FOREIGN KEY ("experiment") REFERENCES "console"."experiments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "experiments_workspace" ON "console"."experiments" USING btree ("workspace","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "input_sets_name" ON "console"."input_sets" USING btree ("workspace",lower("name"));