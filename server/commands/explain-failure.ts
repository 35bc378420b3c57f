const explanations: Readonly<Record<string, string>> = {
  ENOENT: '找不到这个文件或目录，请检查路径',
  EACCES: '没有权限，请换一个目录，或换一个用户运行',
  EPERM: '没有权限，请换一个目录，或换一个用户运行',
  EISDIR: '这是一个目录，请写明文件名',
  ENOTDIR: '路径中有一段不是目录，请检查路径',
  ENOSPC: '磁盘已满，请清理后重试',
  EROFS: '这个磁盘是只读的，请换一个目录',
}

/** The sentence that a command prints when it fails: for a file, what to do and which file it is about. */
export function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, path } = error as NodeJS.ErrnoException
  const explanation = code === undefined ? undefined : explanations[code]
  if (explanation === undefined) return error.message
  return path === undefined ? explanation : `${path}：${explanation}`
}
