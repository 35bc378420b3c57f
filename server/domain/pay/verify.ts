/** Whether a receipt is genuine: for whoever has it in his hands, signed in or not. It tells what stands in it, and nothing else of anybody. */
import type { OutputOf } from '../../contract/call.ts'
import * as contract from '../../contract/people/verify.ts'
import { handleOutside } from '../../runtime/handle.ts'
import { countTry, peerOf } from '../../runtime/request/limits.ts'
import { keysOf } from './keys.ts'
import { slipNow } from './slips.ts'
import { Wrong } from './verifier/canonical.ts'
import { checkReceipt, checkReceiptFile, type ReadReceipt, readReceipt, receiptIn } from './verifier/receipt.ts'

type Told = OutputOf<typeof contract.verifyReceipt>
/** A bank's counter may ask often from one address; whoever guesses has a signature before him. */
const most = { max: 600, window_s: 3600 }

const refused = ({ why, message }: Wrong): Told => ({ genuine: false, why, message, receipt: null })

/** As pasted, scanned, or as the whole of a file: then every byte of it counts. */
const readAny = (given: string): ReadReceipt =>
  given.startsWith('{') ? checkReceiptFile(given).receipt : readReceipt(receiptIn(given))

function sinceOf(slip: Awaited<ReturnType<typeof slipNow>>, version: number): NonNullable<Told['receipt']>['since'] {
  if (slip === null || slip.status === 'withdrawn') return 'withdrawn'
  return slip.version > version ? 'corrected' : 'stands'
}

export const verifyReceipt = handleOutside(contract.verifyReceipt, async (ctx, { receipt: given }) => {
  const { database, address, now } = ctx
  await countTry(database, `receipt-peer|${peerOf(address)}`, { ...most, now, refusal: 'too_often' })
  try {
    const receipt = readAny(given)
    const { company_id, slip_id } = receipt.says
    const { keys, slip } = await ctx.lookIn(company_id, async (db) => ({
      keys: await keysOf({ db, company_id }),
      slip: await slipNow({ db, company_id }, slip_id),
    }))
    const { company, person, month, version, kind, confirmed_at, signed_at, handwriting } = checkReceipt(receipt, keys)
    return {
      genuine: true,
      why: null,
      message: '',
      receipt: {
        company,
        person,
        month,
        version,
        kind,
        confirmed_at,
        signed_at,
        handwritten: handwriting !== null,
        kid: receipt.kid,
        since: sinceOf(slip, version),
      },
    }
  } catch (error) {
    if (error instanceof Wrong) return refused(error)
    throw error
  }
})
