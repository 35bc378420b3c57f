import { getInvoiceFile } from '../../../../server/contract/corp/order.ts'
import { session } from '../../../api-core.ts'
import { toast } from '../../../ui/over/toast.ts'

/** Fetched with the session's header and saved by the browser, under the name that the server gave it. */
export async function saveInvoice(invoice_id: string, red: boolean): Promise<void> {
  const address = `${getInvoiceFile.path}?${new URLSearchParams({ invoice_id, red: red ? '1' : '0' })}`
  const answer = await fetch(address, { headers: { 'user-token': session.token ?? '' } }).catch(() => null)
  const name = /filename\*=UTF-8''(.+)$/.exec(answer?.headers.get('content-disposition') ?? '')?.[1]
  if (!answer || !name) return toast.fail('发票没有下载成功，请刷新后重试', '失败')
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = decodeURIComponent(name)
  link.click()
  URL.revokeObjectURL(link.href)
}
