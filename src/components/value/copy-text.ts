import { toast } from '../overlay/toast.ts'

/** Copies a text and reports it, or asks the user to copy it by hand where the browser refuses. */
export function copyText(kind: string, text: string): void {
  const showCopyError = () => toast.error('浏览器不允许复制，请选中后手动复制')
  if (!navigator.clipboard) return showCopyError()
  void navigator.clipboard.writeText(text).then(() => toast.brief(`${kind}已复制`), showCopyError)
}
