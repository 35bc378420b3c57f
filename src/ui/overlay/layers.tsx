/** antd's layers that Esc closes: whoever needs a dialog or a drawer takes it from here. */
import { Drawer as AntDrawer, Modal as AntModal, type DrawerProps, type ModalProps } from 'antd'
import { useLayoutEffect, useState } from 'react'

/**
 * antd notes whom Esc closes while it draws. A drawing that React gives up (a dialog given up while it came, a page left while it was fetched)
 * would stay noted above all others for good, and what lies below would hear no Esc any more. What is told here is drawn at once and never given up.
 */
function useCommittedOpen(open = false): boolean {
  const [committed, setCommitted] = useState(false)
  // In a layout effect: what it sets is drawn in the same turn, without a pause in which another press could come between.
  // oxlint-disable-next-line react/set-state-in-effect -- a second drawing at once is what is wanted
  useLayoutEffect(() => setCommitted(open), [open])
  return committed
}

export const Modal = (props: ModalProps) => <AntModal {...props} open={useCommittedOpen(props.open)} />
export const Drawer = (props: DrawerProps) => <AntDrawer {...props} open={useCommittedOpen(props.open)} />
