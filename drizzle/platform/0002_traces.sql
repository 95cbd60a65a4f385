CREATE TABLE "platform"."trace_attachments" (
	"run_id" uuid NOT NULL,
	"name" text NOT NULL,
	"content_type" text NOT NULL,
	"data" "bytea" NOT NULL,
	CONSTRAINT "trace_attachments_run_id_name_pk" PRIMARY KEY("run_id","name")
);
--> statement-breakpoint
CREATE TABLE "platform"."trace_feedback" (
	"id" uuid PRIMARY KEY NOT NULL,
	"run_id" uuid,
	"trace_id" uuid,
	"body" jsonb NOT NULL,
	"created_at" timestamp(6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."trace_payloads" (
	"run_id" uuid PRIMARY KEY NOT NULL,
	"inputs" "bytea",
	"outputs" "bytea",
	"events" "bytea",
	"extra" "bytea",
	"serialized" "bytea",
	"bytes" bigint GENERATED ALWAYS AS (coalesce(octet_length(inputs), 0) + coalesce(octet_length(outputs), 0) + coalesce(octet_length(events), 0) + coalesce(octet_length(extra), 0) + coalesce(octet_length(serialized), 0)) STORED
);
--> statement-breakpoint
CREATE TABLE "platform"."trace_runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid,
	"trace_id" uuid,
	"parent_id" uuid,
	"dotted_order" text collate "C",
	"name" text,
	"run_type" text,
	"start_time" timestamp(6) with time zone,
	"end_time" timestamp(6) with time zone,
	"first_token_time" timestamp(6) with time zone,
	"error" text,
	"status" text GENERATED ALWAYS AS (case when error is not null then 'error' when end_time is not null then 'success' else 'pending' end) STORED,
	"latency_ms" double precision GENERATED ALWAYS AS (case when extract(epoch from end_time - start_time)::double precision > -0.001 then greatest(extract(epoch from end_time - start_time)::double precision, 0) * 1000 end) STORED,
	"first_token_ms" double precision GENERATED ALWAYS AS (case when extract(epoch from first_token_time - start_time)::double precision > -0.001 then greatest(extract(epoch from first_token_time - start_time)::double precision, 0) * 1000 end) STORED,
	"tags" text[],
	"metadata" jsonb,
	"model" text,
	"provider" text,
	"prompt_tokens" bigint,
	"completion_tokens" bigint,
	"total_tokens" bigint,
	"token_details" jsonb,
	"prompt_cost" numeric,
	"completion_cost" numeric,
	"total_cost" numeric,
	"thread_id" text,
	"reference_example_id" text,
	"inputs_preview" text,
	"outputs_preview" text,
	"input_text" text,
	"output_text" text,
	"words" "tsvector" GENERATED ALWAYS AS (to_tsvector('simple', coalesce(name, '') || ' ' || coalesce(input_text, '') || ' ' || coalesce(output_text, '') || ' ' || coalesce(left(error, 4000), ''))) STORED,
	"is_patched" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
ALTER TABLE "platform"."trace_attachments" ADD CONSTRAINT "trace_attachments_run_id_trace_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "platform"."trace_runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform"."trace_payloads" ADD CONSTRAINT "trace_payloads_run_id_trace_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "platform"."trace_runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform"."trace_runs" ADD CONSTRAINT "trace_runs_project_id_tracing_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "platform"."tracing_projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "trace_feedback_run" ON "platform"."trace_feedback" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "trace_runs_newest" ON "platform"."trace_runs" USING btree ("project_id","start_time" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "trace_runs_roots" ON "platform"."trace_runs" USING btree ("project_id","start_time" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE parent_id is null;--> statement-breakpoint
CREATE INDEX "trace_runs_tree" ON "platform"."trace_runs" USING btree ("trace_id",left(dotted_order, 1000));--> statement-breakpoint
CREATE INDEX "trace_runs_parent" ON "platform"."trace_runs" USING btree ("parent_id");--> statement-breakpoint
CREATE INDEX "trace_runs_thread" ON "platform"."trace_runs" USING btree ("thread_id") WHERE thread_id is not null;--> statement-breakpoint
CREATE INDEX "trace_runs_errors" ON "platform"."trace_runs" USING btree ("project_id","start_time" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE error is not null;--> statement-breakpoint
CREATE INDEX "trace_runs_lost" ON "platform"."trace_runs" USING btree ("id") WHERE trace_id is null or project_id is null;--> statement-breakpoint
CREATE INDEX "trace_runs_metadata" ON "platform"."trace_runs" USING gin (metadata jsonb_path_ops);--> statement-breakpoint
CREATE INDEX "trace_runs_tags" ON "platform"."trace_runs" USING gin ("tags");--> statement-breakpoint
CREATE INDEX "trace_runs_words" ON "platform"."trace_runs" USING gin ("words");