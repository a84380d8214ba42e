export { createFolderSink } from './folder.ts'
export { createS3Sink, type S3SinkOptions } from './s3.ts'
