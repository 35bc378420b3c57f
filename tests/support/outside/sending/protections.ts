/**
 * The protections that prevent lost and duplicate messages, each with the text changes that remove it when the sending
 * node is bundled. The product does not know of them; a text that is missing or occurs twice fails the trial.
 */
type Change = { readonly file: string; readonly from: string; readonly to: string }
export type Protection = {
  readonly name: string
  readonly what: string
  /** What happens to messages without the protection. */
  readonly people: 'twice' | 'lost'
  readonly changes: readonly Change[]
}

const [ledger, counter, aliyun] = ['server/outbox/ledger.ts', 'server/outbox/dispatch.ts', 'platform/sms/aliyun.ts'] as const

export const protections: readonly Protection[] = [
  {
    name: 'look-up',
    what: 'a message whose last try is unclear is looked up at the carrier before it is repeated',
    people: 'twice',
    changes: [{ file: counter, from: `attempts === 0\n`, to: `attempts >= 0\n` }],
  },
  {
    name: 'count',
    what: 'a try is counted before the message leaves',
    people: 'twice',
    changes: [{ file: ledger, from: 'set attempts = attempts + 1,', to: 'set attempts = attempts + 0,' }],
  },
  {
    name: 'lease',
    what: 'a row is held by one sender, and written by its holder alone',
    people: 'twice',
    changes: [
      { file: ledger, from: `(status = 'leased' and lease_until < \${now})`, to: `(status = 'leased')` },
      {
        file: ledger,
        from: `::uuid[]) and status = 'leased' and lease_by = \${begun.owner}`,
        to: `::uuid[])`,
      },
      // Untried messages are taken and started in one statement that only checks the status.
      {
        file: ledger,
        from: `status = 'queued' and attempts = 0 and channel`,
        to: `status in ('queued', 'leased') and attempts < 2 and channel`,
      },
    ],
  },
  {
    name: 'ledger key',
    what: 'every try of a message bears the same id, the ledger’s',
    people: 'twice',
    changes: [{ file: aliyun, from: 'OutId: id', to: 'OutId: randomUUID()' }],
  },
  {
    name: 'silence',
    what: 'no answer is not a yes',
    people: 'lost',
    changes: [
      {
        file: counter,
        from: `if (decideAfterError(attempts) === 'unknown')`,
        to: `if (attempts > 0) return plainResult({ id, status: 'accepted', ref: '' })\n  if (decideAfterError(attempts) === 'unknown')`,
      },
    ],
  },
]
