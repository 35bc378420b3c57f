import { Tree as AntTree } from 'antd'
import { type ReactNode, useState } from 'react'
import type { TreeNode } from './tree-picker.tsx'

const idsOf = (tree: readonly TreeNode[]): string[] => tree.flatMap((node) => [node.ID, ...idsOf(node.child)])

/** A tree, all open until somebody folds a branch. Choosing the chosen one again lets it go. */
export function Tree<N extends TreeNode>(props: {
  tree: readonly N[]
  chosen?: string | undefined
  onChoose?: (id: string | undefined) => void
  titleOf?: (node: N) => ReactNode
}) {
  const { tree, chosen, onChoose, titleOf } = props
  // What is folded, not what is open: a branch that comes later is open too.
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const all = idsOf(tree)
  return (
    <AntTree
      blockNode
      treeData={tree as never[]}
      fieldNames={{ title: 'NAME', key: 'ID', children: 'child' }}
      expandedKeys={all.filter((id) => !folded.has(id))}
      onExpand={(open) => setFolded(new Set(all.filter((id) => !open.includes(id))))}
      selectedKeys={chosen ? [chosen] : []}
      onSelect={([id]) => onChoose?.(id === undefined ? undefined : String(id))}
      {...(titleOf ? { titleRender: (node: unknown) => titleOf(node as N) } : {})}
    />
  )
}
