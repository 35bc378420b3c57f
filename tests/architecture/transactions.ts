/** Who opens a transaction, who writes his line of evidence when it is over, and who goes outdoors. */
import { basename } from 'node:path'
import { count, type Files, getTexts, isCode, type Match } from './source.ts'

const inDomain = (path: string): boolean => isCode(path) && path.startsWith('server/modules/')

/** Transactions that do not begin at the door, by the file of a domain that opens them. */
export const ownTransactions = (files: Files): Match =>
  count(
    getTexts(files, inDomain).flatMap(([path, text]) =>
      [...text.matchAll(/\b(?:database|db)\b\??\s*\.(?:inCompany|asPerson|asSystem|withoutCompany)\(/g)].map(
        () => `${path} opens a transaction of its own`,
      ),
    ),
  )

/** The calls that leave a line of evidence, by their names in the contract. */
const withLine = (files: Files): ReadonlySet<string> =>
  new Set(
    getTexts(files, (path) => path.startsWith('server/contract/')).flatMap(([, text]) =>
      [...text.matchAll(/export const (\w+)[^\n]*= defineCall\(([\s\S]*?)\n\}\)/g)].flatMap(([, name = '', body = '']) =>
        /audit: '(?:change|view|sign_in)'/.test(body) ? [name] : [],
      ),
    ),
  )

/** Calls bound as outside in a file that names no mutation: their line is written when all is over. */
export function notifiedAfterwards(files: Files): Match {
  const lines = withLine(files)
  return count(
    getTexts(files, inDomain).flatMap(([path, text]) =>
      /\bmutate(?:Access)?\(/.test(text)
        ? []
        : [...text.matchAll(/defineExternalHandler\(\s*\w+\.(\w+)/g)].flatMap(([, name = '']) =>
            lines.has(name) ? [`${basename(path)} tells of ${name} afterwards`] : [],
          ),
    ),
  )
}

/** Who hands out the proof that no transaction is open: where one is known to be none. */
const tokenIssuers = ['server/database/no-transaction.ts', 'server/jobs/queue.ts', 'server/http/handler-contexts.ts']
export const exposedNoTransaction = (files: Files): Match =>
  count(
    getTexts(files, (path) => isCode(path) && path.startsWith('server/') && !tokenIssuers.includes(path)).flatMap(
      ([path, text]) => (/\bimport \{[^}]*\bnoTransaction\b[^}]*\}/.test(text) ? [`${path} hands out noTransaction`] : []),
    ),
  )

/** Who narrows a transaction to a company of his choice. */
export const narrows = (files: Files): Match =>
  count(
    getTexts(files, (path) => isCode(path) && path.startsWith('server/')).flatMap(([path, text]) =>
      !/^server\/(database\/database|http\/(authorize|operator-access|pipeline))\.ts$/.test(path) &&
      /\bscopeToCompany\b/.test(text)
        ? [`${path} narrows a transaction`]
        : [],
    ),
  )
