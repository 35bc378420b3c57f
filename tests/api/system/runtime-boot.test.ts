import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { providers } from '../../../server/contract/shared/providers.ts'
import { connectDatabase, type DatabaseOptions } from '../../../server/database/database.ts'
import { BootCheckError } from '../../../server/database/row-level-security.ts'
import { renderTables, tables_file } from '../../../server/database/write-tables.ts'
import { noteDatabase, rows } from '../../support/data/notes.ts'
import { asOwner, emptyDatabase, freshDatabase } from '../../support/run/database.ts'

/* Database setup at server start, and the conditions under which the server refuses to start. */

const a = randomUUID()
const { folder, fresh, db, closing, open } = noteDatabase()
const owner = (text: string) => asOwner(fresh, (client) => client.query(text))

test('tables.ts equals the migrations', async () => {
  const migrated = await freshDatabase()
  closing.push(migrated.drop)
  expect(readFileSync(tables_file, 'utf8')).toBe(await renderTables(migrated.options.owner))
})

test('the table of chat providers lists the providers of the program', async () => {
  const migrated = await freshDatabase()
  closing.push(migrated.drop)
  const stored = await asOwner(migrated, (client) => client.query<{ name: string }>('select name from chat_provider'))
  expect(stored.rows.map(({ name }) => name).sort()).toEqual([...providers].sort())
})

describe('application role', () => {
  test('lets the application role read and write rows, and nothing else', async () => {
    const [role] = (
      await owner(
        `select rolcanlogin, rolsuper, rolbypassrls, rolcreatedb, rolcreaterole, rolreplication from pg_roles where rolname = '${fresh.options.role}'`,
      )
    ).rows
    expect(role).toEqual({
      rolcanlogin: true,
      rolsuper: false,
      rolbypassrls: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
    })
    for (const text of [
      'create table mine (id int)',
      'truncate note',
      'alter table note disable row level security',
      'drop policy company on note',
      'set role postgres',
      'alter role current_user bypassrls',
      'select * from schema_migration',
      'select * from pg_authid',
      'create table pgboss.mine (id int)',
      `copy note to program 'cat'`,
    ]) {
      await expect(
        db.inCompany(a, (tx) => rows(tx, text)),
        text,
      ).rejects.toThrow(/permission denied|must be (owner|superuser)|does not exist/)
    }
  })

  test('does not grant the application role again what a migration revokes', async () => {
    await open().then((again) => again.close())
    await db.inCompany(a, (tx) => rows(tx, `insert into evidence values ('${a}', '${a}')`))
    for (const text of ['update evidence set id = id', 'delete from evidence']) {
      await expect(db.inCompany(a, (tx) => rows(tx, text))).rejects.toThrow(/permission denied/)
    }
  })

  test('sets a new password for the application role when the secret changes', async () => {
    const role = `${fresh.name}_other`
    const other = await emptyDatabase()
    closing.push(() => asOwner(fresh, (client) => client.query(`drop role if exists ${role}`)), other.drop)
    for (const app_password of ['one', "two'\\ three"]) {
      const opened = await connectDatabase({ ...other.options, role, app_password, migrations: folder })
      await expect.poll(() => opened.isHealthy()).toBe(true)
      await opened.close()
    }
  })

  test('starts six servers concurrently on an empty database', async () => {
    const other = await emptyDatabase()
    const role = `${fresh.name}_six`
    closing.push(() => asOwner(fresh, (client) => client.query(`drop role if exists ${role}`)), other.drop)
    const all = await Promise.all(
      Array.from({ length: 6 }, () => connectDatabase({ ...other.options, role, migrations: folder, max: 1 })),
    )
    for (const each of all) {
      await expect.poll(() => each.isHealthy()).toBe(true)
      await each.close()
    }
  })
})

describe('refused boot', () => {
  /** A login created by somebody else, as with DATABASE_APP_URL. */
  async function login(attributes: string, more = '', undo = ''): Promise<DatabaseOptions['app']> {
    const role = `${fresh.name}_bad`
    await owner(`create role ${role} login password 'bad' ${attributes}; ${more.replaceAll('$role', role)}`)
    closing.push(() => owner(`${undo.replaceAll('$role', role)}; drop owned by ${role}; drop role ${role}`))
    return { ...fresh.options.owner, user: role, password: 'bad' }
  }
  const all = 'grant select, insert, update, delete on all tables in schema public to $role;'

  test.each([
    ['a superuser', 'superuser', '', '', 'it is a superuser'],
    ['a role with BYPASSRLS', 'bypassrls', all, '', 'it has BYPASSRLS'],
    ['a role that may create roles', 'createrole', all, '', 'it may create roles'],
    ['a role that may create databases', 'createdb', all, '', 'it may create databases'],
    [
      'the owner of a table',
      '',
      `${all} alter table note owner to $role`,
      'alter table note owner to current_user',
      'it owns note',
    ],
    ['a role that may become the owner', '', `${all} grant current_user_name to $role`, '', 'it may become'],
    ['a role that may truncate', '', `${all} grant truncate on note to $role`, '', 'it may truncate note'],
    [
      'a role that may create tables',
      '',
      `${all} grant create on schema public to $role`,
      '',
      'it may make tables in the schema public',
    ],
    [
      'a role without any rights',
      '',
      'revoke all on all tables in schema public from $role',
      '',
      'it may read none of the tables',
    ],
  ])('%s', async (_, attributes, more, undo, problem) => {
    const app = await login(attributes, more.replaceAll('current_user_name', `"${fresh.options.owner.user}"`), undo)
    const error = await open({ app }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(BootCheckError)
    expect((error as BootCheckError).problems.join('\n')).toContain(problem)
  })

  test('refuses the owner as login', async () => {
    await expect(open({ app: fresh.options.owner })).rejects.toBeInstanceOf(BootCheckError)
  })

  test('accepts a suitable login', async () => {
    const app = await login('', `${all} revoke update, delete on evidence from $role`)
    await (await open({ app })).close()
  })

  test.each([
    [
      'a company table without row-level security',
      'alter table note disable row level security',
      'note: row-level security is not enabled',
    ],
    [
      'a company table whose row-level security is not forced',
      'alter table note no force row level security',
      'note: row-level security is not forced',
    ],
    ['a company table without a policy for a command', 'drop policy writing on evidence', 'evidence: no policy for insert'],
    [
      'a company table without an index by company',
      'alter table note drop constraint note_pkey',
      'note: no index begins with company_id',
    ],
    [
      'a table without a stated reason for having no company',
      'comment on table place is null',
      'place: row-level security is not enabled (or',
    ],
    ['a view with the rights of its owner', 'create view notes as select * from note', 'notes: this view reads'],
    ['a materialized view', 'create materialized view notes as select * from note', 'notes: a materialised view'],
    [
      'a function with the rights of its owner',
      `create function f() returns bigint language sql security definer as 'select count(*) from note'`,
      'f(): this function',
    ],
  ])('%s', async (_, text, problem) => {
    await owner(text)
    const error = await open().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(BootCheckError)
    expect((error as BootCheckError).problems.join('\n')).toContain(problem)
  })

  test('accepts a view with the rights of its reader', async () => {
    await owner('create view notes with (security_invoker = true) as select * from note')
    await (await open()).close()
  })

  test('refuses a login that may not create the application role, and states the remedy', async () => {
    const role = `${fresh.name}_modest`
    await owner(`create role ${role} login password 'modest' nocreaterole; alter database ${fresh.name} owner to ${role}`)
    closing.push(() => owner(`alter database ${fresh.name} owner to current_user; drop owned by ${role}; drop role ${role}`))
    const modest = { ...fresh.options.owner, user: role, password: 'modest' }
    await expect(connectDatabase({ ...fresh.options, owner: modest, role: `${role}_app`, migrations: folder })).rejects.toThrow(
      /DATABASE_APP_URL/,
    )
  })
})
