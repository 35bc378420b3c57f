/** antd's layers that Esc closes: dialogs and drawers are imported from here. */
import { Drawer as AntDrawer, Modal as AntModal, type DrawerProps, type ModalProps } from 'antd'
import { useLayoutEffect, useState } from 'react'
import { AreaBoundary } from '../state/caught-error.tsx'

/**
 * antd registers which layer Esc closes while it renders. A render that React discards (a dialog abandoned while
 * loading, a page left while loading) would stay registered on top forever, and layers below would not receive Esc.
 * This state is committed and therefore never discarded.
 */
function useCommittedOpen(open = false): boolean {
  const [committed, setCommitted] = useState(false)
  // The effect is a layout effect, so that its result is drawn in the same turn, without a pause in which another press
  // could come.
  // oxlint-disable-next-line react/set-state-in-effect -- an immediate second render is intended
  useLayoutEffect(() => setCommitted(open), [open])
  return committed
}

/** An error of the content stays inside the layer, which can still be closed; the page behind it stays as it is. */
export const Modal = ({ children, ...props }: ModalProps) => (
  <AntModal {...props} open={useCommittedOpen(props.open)}>
    <AreaBoundary>{children}</AreaBoundary>
  </AntModal>
)
export const Drawer = ({ children, ...props }: DrawerProps) => (
  <AntDrawer {...props} open={useCommittedOpen(props.open)}>
    <AreaBoundary>{children}</AreaBoundary>
  </AntDrawer>
)
