"""What people have said and written: folders of documents, chunks of them, and passages."""
