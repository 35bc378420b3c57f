/** Last month's pay of demo members, so that a test's wage sheet is a plausible next month. */
import { getWageDetail, getWageList } from '../../../server/contract/payslips/send.ts'
import type { HttpCaller } from '../callers/http.ts'

/** Amounts in fen by column label without groups, and the net pay as `net`. */
export type LastPay = Record<string, number> & { net: number }

/** Returns the pay of the newest monthly batch by name, without namesakes. */
export async function getLastPay(caller: HttpCaller): Promise<Map<string, LastPay>> {
  const runs = (await caller.must(getWageList, { pagesize: 20 })).list
  const newest = runs.find((one) => one.title.endsWith('月工资'))?.title
  const run = runs.filter((one) => one.title === newest).toSorted((a, b) => b.people - a.people)[0]
  if (!run) throw new Error('nobody was paid yet')
  const pay = new Map<string, LastPay>()
  const several = new Set<string>()
  for (let page = 1; ; page += 1) {
    const { list, columns, page: of } = await caller.must(getWageDetail, { batch_id: run.batch_id, page, pagesize: 100 })
    for (const { name, cells, net_fen } of list) {
      if (pay.has(name)) several.add(name)
      const amounts = columns.flatMap(({ key, label }) => {
        const yuan = Number((cells[key]?.value ?? '').replaceAll(',', '') || Number.NaN)
        return Number.isNaN(yuan) ? [] : [[label.split(' / ').at(-1), Math.round(yuan * 100)] as const]
      })
      pay.set(name, { ...Object.fromEntries(amounts), net: net_fen ?? 0 })
    }
    if (page * 100 >= of.total) break
  }
  for (const name of several) pay.delete(name)
  return pay
}
