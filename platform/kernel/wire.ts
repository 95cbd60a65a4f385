import type { z } from 'zod'
import type { controlPlane } from '@/lib/contracts/control-plane'
import type { controlPlaneSchemas } from '@/lib/contracts/control-plane.schemas'
import type { LOG_LEVELS, LOG_TYPES } from '@/lib/contracts/deployments/logs'
import type { InputOf, WireOf } from '@/lib/contracts/wire/api'

type Schemas = typeof controlPlaneSchemas
export type OperationId = keyof Schemas
export type LogLevel = (typeof LOG_LEVELS)[number]
export type LogType = (typeof LOG_TYPES)[number]

type Parsed<S, Part extends string> = S extends { [K in Part]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined

/** What a handler gets: everything parsed by the contract's schemas. */
export type HandlerInput<Id extends OperationId> = {
  params: Exclude<InputOf<(typeof controlPlane)[Id]>['params'], undefined>
  query: Parsed<Schemas[Id], 'query'>
  body: Parsed<Schemas[Id], 'body'>
}
/** What it gives: the wire form of the contract's answer; 204 where that is nothing, else 200 unless said otherwise. */
export type Reply<Id extends OperationId> = { status?: 200 | 201 | 207; body: WireOf<(typeof controlPlane)[Id]> }

/** One function per operation of the control plane's table. */
export type Handlers = { [Id in OperationId]: (input: HandlerInput<Id>) => Promise<Reply<Id>> | Reply<Id> }
