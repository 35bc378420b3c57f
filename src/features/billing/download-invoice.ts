import { getInvoiceFile } from '../../../server/contract/billing/orders.ts'
import { session } from '../../api-core.ts'
import { toast } from '../../components/overlay/toast.ts'

/** Downloads an invoice with the session's header; the browser saves it under the file name from the server. */
export async function downloadInvoice(invoice_id: string, isRed: boolean): Promise<void> {
  const address = `${getInvoiceFile.path}?${new URLSearchParams({ invoice_id, red: isRed ? '1' : '0' })}`
  const response = await fetch(address, { headers: { 'user-token': session.token ?? '' } }).catch(() => null)
  const name = /filename\*=UTF-8''(.+)$/.exec(response?.headers.get('content-disposition') ?? '')?.[1]
  if (!response || !name) return toast.error('发票没有下载成功，请刷新后重试', '失败')
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = decodeURIComponent(name)
  link.click()
  URL.revokeObjectURL(link.href)
}
