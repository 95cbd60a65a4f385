import { createRequire } from 'node:module'
import path from 'node:path'
import type TypeScript from 'typescript-5'
import { z } from 'zod'
import type { GraphConfig } from './config-file'
import { describeFields } from './field-schemas'
import { placeOf } from './load-export'

/** Written by a build beside the graph configuration. */
export const FIELD_TYPES_FILE = '.field-types.json'

const Fields = z.record(z.string(), z.record(z.string(), z.unknown())).optional()
/** JSON Schemas of a graph's fields, as far as the types of its source tell: what nodes read, what a run accepts. */
export const GraphTypes = z.object({ state: Fields, input: Fields, context: Fields })
export type GraphTypes = z.output<typeof GraphTypes>
export const FieldTypes = z.record(z.string(), GraphTypes)
export type FieldTypes = z.output<typeof FieldTypes>

const IS_TYPED = /\.[mc]?tsx?$/
export const isTyped = (graph: GraphConfig['graphs'][string]) =>
  IS_TYPED.test((typeof graph === 'string' ? graph : graph.path).split(':')[0] ?? '')

/** The compiler that the source is written for; undefined if it has none, or one without an interface for programs. */
export function compilerOf(configFile: string): typeof TypeScript | undefined {
  try {
    const ts = createRequire(configFile)('typescript') as Partial<typeof TypeScript>
    return typeof ts.createProgram === 'function' ? (ts as typeof TypeScript) : undefined
  } catch {
    return undefined
  }
}

/** Reads the types of a configuration's graphs. Graphs in JavaScript, and those that are built in unknown ways, have none. */
export function readFieldTypes(ts: typeof TypeScript, configFile: string, { graphs }: GraphConfig): FieldTypes {
  const folder = path.dirname(configFile)
  const places = Object.entries(graphs)
    .filter(([, graph]) => isTyped(graph))
    .map(([name, graph]) => ({ name, ...placeOf(typeof graph === 'string' ? graph : graph.path, folder) }))
  const program = ts.createProgram(
    places.map(({ file }) => file),
    optionsFor(ts, folder),
  )
  const checker = program.getTypeChecker()
  const fieldsOf = (type: TypeScript.Type | undefined) => type && describeFields(ts, program, type)
  const found = places.flatMap(({ name, file, exportName }) => {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    const symbol = module && checker.getExportsOfModule(module).find((one) => one.getName() === exportName)
    const graph = symbol && builtGraph(checker, checker.getTypeOfSymbol(symbol))
    if (!graph) return []
    const { state, input, context } = partsOf(checker, graph)
    return [[name, { state: fieldsOf(state), input: fieldsOf(input), context: fieldsOf(context) }] as const]
  })
  return Object.fromEntries(found)
}

/** The source's own settings, but for what they write; null must not disappear from types. */
function optionsFor(ts: typeof TypeScript, folder: string): TypeScript.CompilerOptions {
  const file = ts.findConfigFile(folder, ts.sys.fileExists)
  const given = file ? ts.readConfigFile(file, ts.sys.readFile).config : {}
  const { options } = ts.parseJsonConfigFileContent(given, ts.sys, file ? path.dirname(file) : folder)
  const usual = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  }
  return { ...usual, ...options, noEmit: true, skipLibCheck: true, strictNullChecks: true }
}

/** The type of the compiled graph from any form of export that the server loads. */
function builtGraph(checker: TypeScript.TypeChecker, exported: TypeScript.Type): TypeScript.Type | undefined {
  let type = exported
  // A factory, a promise, a builder and an agent are at most four steps away from the graph.
  for (let step = 0; step < 5; step += 1) {
    const typeOf = (name: string) => {
      const symbol = type.getProperty(name)
      return symbol && checker.getTypeOfSymbol(symbol)
    }
    if (typeOf('builder') && typeOf('invoke')) return type
    const inner =
      typeOf('graph') ??
      typeOf('compile')?.getCallSignatures()[0]?.getReturnType() ??
      type.getCallSignatures()[0]?.getReturnType() ??
      checker.getAwaitedType(type)
    if (!inner || inner === type) return undefined
    type = inner
  }
  return undefined
}

/** What a graph's types say of its state, of what `invoke` accepts, and of its context. */
function partsOf(checker: TypeScript.TypeChecker, graph: TypeScript.Type) {
  const typeOf = (type: TypeScript.Type | undefined, ...names: string[]) => {
    const symbol = names.map((name) => type?.getProperty(name)).find(Boolean)
    return symbol && checker.getTypeOfSymbol(symbol)
  }
  const parameters = typeOf(graph, 'invoke')?.getCallSignatures()[0]?.getParameters() ?? []
  const [given, options] = parameters.map((one) => checker.getNonNullableType(checker.getTypeOfSymbol(one)))
  const isCommand = (type: TypeScript.Type) => /^Command/.test(type.symbol?.getName() ?? '')
  const inputs = given?.isUnion() ? given.types.filter((type) => !isCommand(type)) : given ? [given] : []
  const context = typeOf(options, 'context')
  return {
    // Versions name it in two ways.
    state: typeOf(graph, '~RunOutput', 'RunOutput'),
    input: inputs.length === 1 ? inputs[0] : undefined,
    context: context && checker.getNonNullableType(context),
  }
}
