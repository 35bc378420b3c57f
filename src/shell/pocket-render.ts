import { unstableSetRender } from 'antd-mobile'
import { createRoot, type Root } from 'react-dom/client'

/**
 * antd-mobile draws Toast and Dialog outside the tree with an API that React 19 no longer has; this is the other one. To be called:
 * the build takes files of the shell to do nothing when they are merely imported.
 */
export const drawOutside = () =>
  unstableSetRender((node, container) => {
    const home = container as Element & { root?: Root }
    home.root ??= createRoot(home)
    const { root } = home
    root.render(node)
    return async () => {
      await Promise.resolve()
      root.unmount()
    }
  })
