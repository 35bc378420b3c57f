/** Checks who opens transactions, who writes the audit log entry after the transaction, and who makes external calls. */
import { basename } from 'node:path'
import { count, type Files, getTexts, isCode, type Match } from './source.ts'

const inDomain = (path: string): boolean => isCode(path) && path.startsWith('server/modules/')

/** Counts the transactions that a domain file opens by itself instead of using the one of its request. */
export const ownTransactions = (files: Files): Match =>
  count(
    getTexts(files, inDomain).flatMap(([path, text]) =>
      [...text.matchAll(/\b(?:database|db)\b\??\s*\.(?:inCompany|asPerson|asSystem|withoutCompany)\(/g)].map(
        () => `${path} opens a transaction of its own`,
      ),
    ),
  )

/** Returns the names of the calls in the contract that write an audit log entry. */
const withLine = (files: Files): ReadonlySet<string> =>
  new Set(
    getTexts(files, (path) => path.startsWith('server/contract/')).flatMap(([, text]) =>
      [...text.matchAll(/export const (\w+)[^\n]*= define(?:Change|View|SignIn)\(/g)].map(([, name = '']) => name),
    ),
  )

/** Finds external handlers in files that name no mutation: their audit log entry is written only at the end. */
export function notifiedAfterwards(files: Files): Match {
  const lines = withLine(files)
  return count(
    getTexts(files, inDomain).flatMap(([path, text]) =>
      /\bmutate(?:Access)?\(/.test(text)
        ? []
        : [...text.matchAll(/defineHandler\(\s*\w+\.(\w+),\s*\{ kind: 'external' \}/g)].flatMap(([, name = '']) =>
            lines.has(name) ? [`${basename(path)} tells of ${name} afterwards`] : [],
          ),
    ),
  )
}

/** The files that may issue the token that proves that no transaction is open, because it is known there. */
const tokenIssuers = ['server/database/no-transaction.ts', 'server/jobs/queue.ts', 'server/http/external-handler.ts']
export const exposedNoTransaction = (files: Files): Match =>
  count(
    getTexts(files, (path) => isCode(path) && path.startsWith('server/') && !tokenIssuers.includes(path)).flatMap(
      ([path, text]) => (/\bimport \{[^}]*\bnoTransaction\b[^}]*\}/.test(text) ? [`${path} hands out noTransaction`] : []),
    ),
  )

/** Finds code that narrows a transaction to a company that it selects itself. */
export const narrows = (files: Files): Match =>
  count(
    getTexts(files, (path) => isCode(path) && path.startsWith('server/')).flatMap(([path, text]) =>
      !/^server\/(database\/database|http\/(authenticate|operator-access))\.ts$/.test(path) && /\bscopeToCompany\b/.test(text)
        ? [`${path} narrows a transaction`]
        : [],
    ),
  )
