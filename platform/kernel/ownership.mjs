// Plain JavaScript: the launcher runs it before anything is bundled.

/** Selects the missing statements. A column's sequence follows its table. */
const statementsFor = (schema, role) => `
with things as (
  select 'schema' as kind, format('%I', nspname) as name, nspowner as owner from pg_namespace where nspname = '${schema}'
  union all
  select 'table', c.oid::regclass::text, c.relowner from pg_class c
    where c.relnamespace = to_regnamespace('${schema}') and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
      and c.relkind = 'S' and d.deptype in ('a', 'i'))
  union all
  select 'type', t.oid::regtype::text, t.typowner from pg_type t
    where t.typnamespace = to_regnamespace('${schema}') and t.typtype in ('e', 'd')
  union all
  select 'routine', p.oid::regprocedure::text, p.proowner from pg_proc p where p.pronamespace = to_regnamespace('${schema}')
)
select format('alter %s %s owner to %I', kind, name, '${role}') as statement from things
where owner <> (select oid from pg_roles where rolname = '${role}')`

/**
 * Gives a schema and everything in it to a role. For an existing schema of another owner; otherwise changes nothing.
 * @param {(text: string) => Promise<{ rows: any[] }>} query
 * @param {string} schema
 * @param {string} role
 */
export async function giveSchema(query, schema, role) {
  for (const name of [schema, role])
    if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new Error(`"${name}" is no plain name.`)
  const { rows } = await query(statementsFor(schema, role))
  for (const { statement } of rows) await query(statement)
}
