"""What speakers have said and written: folders of documents, chunks of them, and passages."""
