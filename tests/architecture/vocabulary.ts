/**
 * Words that identifiers do not use, with the term to use instead (docs/development/glossary.md). Names that the specification, a library, SQL or
 * CSS fixes are exceptions.
 */
import { type Files, getNodes, getTexts, getTree, isCode, type Match } from './source.ts'

const replacements: Readonly<Record<string, string>> = {
  preload: 'preload',
  retry: 'retry, refresh, re…',
  separate: 'split',
  ask: 'request, query',
  asked: 'params, request, query',
  started: 'started',
  comparison: 'comparedTo…',
  selected: 'selected',
  mutation: 'mutation',
  dispatch: 'dispatch',
  entry: 'authenticate, authorize',
  layout: 'layout',
  rendered: 'rendered',
  details: 'details, attributes',
  failure: 'error, issue',
  match: 'match; to found a company: create',
  lock: 'lock',
  provided: 'input, granted',
  removed: 'removed, notFound',
  worker: 'worker',
  slots: 'workers',
  locked: 'locked',
  context: 'context, tx',
  app: 'app',
  stored: 'stored, saved',
  existing: 'existing, cached',
  limits: 'concurrencyLimits',
  view: 'view, accessLog',
  views: 'views',
  batch: 'batch',
  current: 'currentUser…, own…',
  events: 'events',
  anonymous: 'anonymous, none',
  noTransaction: 'external',
  sections: 'deps, sections',
  segments: 'segments, chunks',
  position: 'aad, position',
  mobile: 'mobile',
  columnMapping: 'columnMapping',
  errorName: 'error',
  refuse: 'fail',
  testSend: 'testSend',
  said: 'message, text, raw',
  say: 'format, message',
  saying: 'message',
  places: 'workers, slots',
  viewed: 'viewed',
  visible: 'visible, view',
  preview: 'preview',
  status: 'status',
  outsider: 'unknown, anonymous',
  accepted: 'claimed, accepted',
  notification: 'notify',
  notifier: 'notifier',
  merged: 'merge',
  notified: 'notified',
  color: 'statusColor',
  attempts: 'attempts',
  problem: 'error',
  slot: 'slot',
  rounds: 'slots',
  recognized: 'recognized',
  typical: 'default',
  result: 'result, disabledReason',
  ctx: 'request',
  client: 'principal',
  rowLevelSecurity: 'rowLevelSecurity',
  expected: 'requested',
  channel: 'channel, method',
  anyValue: 'any',
  full: 'full',
  owner: 'owner',
  reasons: 'reasons',
  options: 'options',
  labels: 'labels',
}

/** Names that a library or the platform fixes. */
const exceptions = new Set(['executeTakeFirst', 'executeTakeFirstOrThrow', 'formatToParts', 'tagName'])

const splitLabels = (identifier: string): string[] =>
  identifier.split(/_|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase())

/** Returns the term to use instead of a banned word in an identifier, or null where the identifier is fine. */
export function findBannedWord(identifier: string): { readonly word: string; readonly use: string } | null {
  if (exceptions.has(identifier)) return null
  const word = splitLabels(identifier).find((one) => Object.hasOwn(replacements, one))
  if (word !== undefined) return { word, use: replacements[word] ?? '' }
  return /[a-z]Of$/.test(identifier) ? { word: '…Of', use: 'get…, or the property' } : null
}

/** The part of the product that a file is counted for: at most three folders. */
const getFolder = (path: string): string => path.split('/').slice(0, -1).slice(0, 3).join('/')

const identifierTypes = new Set(['Identifier', 'PrivateIdentifier', 'JSXIdentifier'])

export type BannedUses = { readonly counts: Match; readonly identifiers: ReadonlyMap<string, ReadonlyMap<string, number>> }

/** Counts uses of identifiers with banned words by folder, and of each folder by identifier. */
export function countBannedLabels(files: Files): BannedUses {
  const identifiers = new Map<string, Map<string, number>>()
  for (const [path, text] of getTexts(files, isCode)) {
    const folder = getFolder(path)
    const uses = identifiers.get(folder) ?? new Map<string, number>()
    for (const [node] of getNodes(getTree(path, text))) {
      const name = String(node.name)
      if (identifierTypes.has(node.type) && findBannedWord(name) !== null) uses.set(name, (uses.get(name) ?? 0) + 1)
    }
    if (uses.size > 0) identifiers.set(folder, uses)
  }
  const counts = Object.fromEntries(
    [...identifiers]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([folder, uses]) => [folder, [...uses.values()].reduce((sum, one) => sum + one, 0)]),
  )
  return { counts, identifiers }
}
