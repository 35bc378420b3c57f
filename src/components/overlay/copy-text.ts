import { toast } from './toast.ts'

/** Copies a text and says so; `kind` names what it is. Chat clients and pages without TLS may refuse. */
export async function copyText(text: string, kind: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast.brief(`${kind}已复制`)
  } catch {
    toast.error('浏览器不允许复制，请选中后手动复制')
  }
}
