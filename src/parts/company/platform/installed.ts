import { useEffect, useRef } from 'react'
import { finishInstall } from '../../../../server/contract/people/installing.ts'
import { useCall } from '../../../api.ts'
import { toast } from '../../../ui/over/toast.ts'

/** What the platform's page brought back; null where nobody comes from there. Each of them calls the code otherwise. */
function broughtBack(search: string): { state: string; code: string | null } | null {
  const said = new URLSearchParams(search)
  const state = said.get('state')
  if (!state) return null
  return { state, code: said.get('auth_code') ?? said.get('code') ?? said.get('authCode') }
}

/** Back from the platform with a code, which is good once: asked once, and gone from the address at once. Answers whether it is being asked. */
export function useInstalled(onDone: () => void): boolean {
  const begun = useRef(false)
  const finish = useCall(finishInstall, {
    onSuccess: ({ problems }) => {
      const missing = problems.length > 0 ? `，还有 ${problems.length} 项需要处理` : ''
      toast.done(`绑定成功，正在读取通讯录${missing}`)
      onDone()
    },
  })
  const { mutate } = finish
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    const brought = broughtBack(location.search)
    if (!brought) return
    history.replaceState(history.state, '', location.pathname)
    if (brought.code) mutate({ state: brought.state, code: brought.code })
    else toast.fail('没有完成授权，可以重新开始')
  }, [mutate])
  return finish.isPending
}
