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

/** A handler's input, parsed by the operation's schemas. */
export type HandlerInput<Id extends OperationId> = {
  params: Exclude<InputOf<(typeof controlPlane)[Id]>['params'], undefined>
  query: Parsed<Schemas[Id], 'query'>
  body: Parsed<Schemas[Id], 'body'>
}
/** A handler's response in wire form; 204 if empty, otherwise 200 by default. */
export type Reply<Id extends OperationId> = { status?: 200 | 201 | 207; body: WireOf<(typeof controlPlane)[Id]> }

/** One function per operation of the control plane. */
export type Handlers = { [Id in OperationId]: (input: HandlerInput<Id>) => Promise<Reply<Id>> | Reply<Id> }
