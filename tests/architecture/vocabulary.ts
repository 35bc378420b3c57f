/**
 * Words that identifiers do not use, with the term to use instead (docs/development/glossary.md). Exceptions are names
 * fixed by the specification, a library, SQL or CSS.
 */
import { type Files, getNodes, getTexts, getTree, isCode, type Match } from './source.ts'

const replacements: Readonly<Record<string, string>> = {
  ahead: 'preload',
  anew: 'retry, refresh, re…',
  apart: 'split',
  ask: 'request, query',
  asked: 'params, request, query',
  begun: 'started',
  beside: 'comparedTo…',
  chosen: 'selected',
  deed: 'mutation',
  departure: 'dispatch',
  door: 'authenticate, authorize',
  drawing: 'layout',
  drawn: 'rendered',
  facts: 'details, attributes',
  fault: 'error, issue',
  found: 'match; to found a company: create',
  gate: 'lock',
  given: 'input, granted',
  gone: 'removed, notFound',
  hand: 'worker',
  hands: 'workers',
  held: 'locked',
  here: 'context, tx',
  house: 'app',
  kept: 'stored, saved',
  known: 'existing, cached',
  lanes: 'concurrencyLimits',
  look: 'view, accessLog',
  looks: 'views',
  lot: 'batch',
  mine: 'currentUser…, own…',
  news: 'events',
  nobody: 'anonymous, none',
  outdoors: 'external',
  parts: 'deps, sections',
  pieces: 'segments, chunks',
  place: 'aad, position',
  pocket: 'mobile',
  recipe: 'columnMapping',
  refusal: 'error',
  refuse: 'fail',
  rehearsal: 'testSend',
  said: 'message, text, raw',
  say: 'format, message',
  saying: 'message',
  seats: 'workers, slots',
  seen: 'viewed',
  shown: 'visible, view',
  sight: 'preview',
  standing: 'status',
  stranger: 'unknown, anonymous',
  taken: 'claimed, accepted',
  tell: 'notify',
  teller: 'notifier',
  together: 'merge',
  told: 'notified',
  tone: 'statusColor',
  tries: 'attempts',
  trouble: 'error',
  turn: 'slot',
  turns: 'slots',
  understood: 'recognized',
  usual: 'default',
  verdict: 'result, disabledReason',
  visit: 'request',
  visitor: 'principal',
  walls: 'rowLevelSecurity',
  wanted: 'requested',
  way: 'channel, method',
  whatever: 'any',
  whole: 'full',
  whose: 'owner',
  whys: 'reasons',
  wish: 'options',
  words: 'labels',
}

/** Names that are fixed by a library, by JSON Schema or by the web platform. */
const exceptions = new Set(['executeTakeFirst', 'executeTakeFirstOrThrow', 'formatToParts', 'oneOf', 'tagName'])

const splitWords = (identifier: string): string[] =>
  identifier.split(/_|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase())

/** Returns the term to use instead of a banned word in an identifier, or null where the identifier is fine. */
export function findBannedWord(identifier: string): { readonly word: string; readonly use: string } | null {
  if (exceptions.has(identifier)) return null
  const word = splitWords(identifier).find((one) => Object.hasOwn(replacements, one))
  if (word !== undefined) return { word, use: replacements[word] ?? '' }
  return /[a-z]Of$/.test(identifier) ? { word: '…Of', use: 'get…, or the property' } : null
}

/** Returns the folder under which a file is counted, at most three levels deep. */
const getFolder = (path: string): string => path.split('/').slice(0, -1).slice(0, 3).join('/')

const identifierTypes = new Set(['Identifier', 'PrivateIdentifier', 'JSXIdentifier'])

export type BannedUses = { readonly counts: Match; readonly identifiers: ReadonlyMap<string, ReadonlyMap<string, number>> }

/** Counts the uses of identifiers with banned words by folder, and within each folder by identifier. */
export function countBannedWords(files: Files): BannedUses {
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
